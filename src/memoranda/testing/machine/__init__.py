"""The parts of the state machine in `memoranda.testing.contract_machine`: rules by noun."""
