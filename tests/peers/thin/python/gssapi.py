"""In place of the package for Kerberos, which phoenixdb imports and these tests do not use."""


class Mechanism:
    @staticmethod
    def from_int_seq(_):
        return None


class OID:
    @staticmethod
    def from_int_seq(_):
        return None
