"""What runs inside a sandbox: a supervisor of one bash. Standard library only, Python 3.8 or newer.

The host sends the source of these modules over the connection (`link.bootstrap`), so any image that
has bash and python3 will do.
"""
