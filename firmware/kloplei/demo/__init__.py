"""The table on virtual hardware: everything real but the wood."""
