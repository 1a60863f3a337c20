"""The arena's dealings with the service: its calls, the bots that it registers, and the check that it is the right
service.
"""
