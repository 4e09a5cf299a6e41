-- Indexes for a supervisor's context, which avoid scanning a whole team.

-- The memories based on an observation.
create index memory_evidence_by_observation on memory_evidence (team, observation);

-- Critical memories, found without scanning the others.
create index memory_critical on memory (team, id) where critical = 1;

-- The newest completed tasks. Running tasks are excluded, so that capture has no cost for it.
create index task_completed on task (team, workspace, last_event_at) where status = 'completed';
