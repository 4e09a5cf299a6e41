-- What a supervisor's context reads, found without walking a whole team.

-- The memories that rest on an observation.
create index memory_evidence_by_observation on memory_evidence (team, observation);

-- What is critical, among however many memories.
create index memory_critical on memory (team, id) where critical = 1;

-- The newest completed tasks. One that goes on is not in it, so that capture pays nothing for it.
create index task_completed on task (team, workspace, last_event_at) where status = 'completed';
