"""In place of the package for Kerberos, which phoenixdb imports and these tests do not use."""

OPTIONAL = 0


class HTTPSPNEGOAuth:
    def __init__(self, **_):
        pass
