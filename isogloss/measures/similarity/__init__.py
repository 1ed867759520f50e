"""How alike two sets of representations are: CKA and its relatives."""
