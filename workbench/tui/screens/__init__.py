"""The screens: a session, the library, the details of a step."""
