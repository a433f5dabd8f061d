"""What a person types or chooses over a screen, and what is asked before something is done."""
