"""The parts of the state machine in `contract.contract_machine`: rules by noun."""
