-- Errors that somebody told, and tasks that are watched for a supervisor.

-- An error that somebody told of, or what somebody knows of one that was captured.
create table error_note (
  team text not null,
  id text not null,
  workspace text not null,
  task text, -- none: it came up outside of any
  stage text,
  agent text not null, -- who told it; empty: a person
  type text not null,
  description text not null,
  context text not null,
  recovery text not null, -- what ended it; empty while nothing did
  severity real not null, -- 0 to 1
  observation text, -- the captured error that it is about
  position integer not null, -- how far the task had come
  resolved_by text, -- who said that it is over
  resolved_at integer,
  created_at integer not null,
  primary key (team, id),
  unique (team, observation),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create index error_note_by_task on error_note (team, task, id);
create index error_note_by_workspace on error_note (team, workspace, id);

-- How far a task was watched, and what the next observation is watched with. No texts.
create table task_watch (
  team text not null,
  task text not null,
  position integer not null, -- the sequence of the last observation that was watched
  state text not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- A task that a supervisor should look at.
create table intervention (
  team text not null,
  id text not null,
  workspace text not null,
  task text not null,
  signal text not null,
  cause text not null, -- what it was raised for; once for each
  reason text not null, -- names of observations and numbers, no text of theirs
  metrics text not null, -- JSON
  raised_at integer not null,
  position integer not null, -- how far the task had come
  state text not null,
  outcome text, -- what came of it; null while nobody said
  effectiveness real, -- -1 (it hurt) to 1 (it helped)
  note text not null,
  decided_by text,
  decided_at integer,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index intervention_by_state on intervention (team, state, id);

-- Memories that stood in the context which a supervisor was given about an intervention.
create table intervention_memory (
  team text not null,
  intervention text not null,
  memory text not null,
  primary key (team, intervention, memory),
  foreign key (team, intervention) references intervention (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;
create index intervention_memory_by_memory on intervention_memory (team, memory);

-- Interventions that a channel has been told of, such as the command line.
create table intervention_told (
  team text not null,
  channel text not null,
  intervention text not null,
  told_at integer not null,
  primary key (team, channel, intervention),
  foreign key (team, intervention) references intervention (team, id) on delete cascade
) strict, without rowid;
create index intervention_told_by_intervention on intervention_told (team, intervention);
