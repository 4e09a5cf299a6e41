-- Manually recorded errors, and tasks that are monitored for a supervisor.

-- A manually recorded error, or a note about a captured one.
create table error_note (
  team text not null,
  id text not null,
  workspace text not null,
  task text, -- null if it occurred outside any task
  stage text,
  agent text not null, -- agent that recorded it; empty for a person
  type text not null,
  description text not null,
  context text not null,
  recovery text not null, -- its resolution; empty while it is open
  severity real not null, -- 0 to 1
  observation text, -- the captured error that it is about
  position integer not null, -- number of observations of the task at that time
  resolved_by text, -- who reported the resolution
  resolved_at integer,
  created_at integer not null,
  primary key (team, id),
  unique (team, observation),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create index error_note_by_task on error_note (team, task, id);
create index error_note_by_workspace on error_note (team, workspace, id);

-- Position and state of the supervision of a task, without texts.
create table task_watch (
  team text not null,
  task text not null,
  position integer not null, -- sequence number of the last processed observation
  state text not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- A task that a supervisor should examine.
create table intervention (
  team text not null,
  id text not null,
  workspace text not null,
  task text not null,
  signal text not null,
  cause text not null, -- cause; one intervention for each
  reason text not null, -- names of observations, and numbers, but no text from them
  metrics text not null, -- JSON
  raised_at integer not null,
  position integer not null, -- number of observations of the task at that time
  state text not null,
  outcome text, -- outcome; null until it is recorded
  effectiveness real, -- -1 (it hurt) to 1 (it helped)
  note text not null,
  decided_by text,
  decided_at integer,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index intervention_by_state on intervention (team, state, id);

-- Memories in the context that a supervisor received for an intervention.
create table intervention_memory (
  team text not null,
  intervention text not null,
  memory text not null,
  primary key (team, intervention, memory),
  foreign key (team, intervention) references intervention (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;
create index intervention_memory_by_memory on intervention_memory (team, memory);

-- Interventions that a channel has shown, such as the command line.
create table intervention_told (
  team text not null,
  channel text not null,
  intervention text not null,
  told_at integer not null,
  primary key (team, channel, intervention),
  foreign key (team, intervention) references intervention (team, id) on delete cascade
) strict, without rowid;
create index intervention_told_by_intervention on intervention_told (team, intervention);
