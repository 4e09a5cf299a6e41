-- Errors that somebody told, and tasks that are watched for a supervisor.

-- An error that somebody told of, or what somebody knows of one that was captured.
create table error_note (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain, -- none: it came up outside of any
  stage plain,
  agent plain not null, -- who told it; empty: a person
  type plain not null,
  description plain not null,
  context plain not null,
  recovery plain not null, -- what ended it; empty while nothing did
  severity double precision not null, -- 0 to 1
  observation plain, -- the captured error that it is about
  position bigint not null, -- how far the task had come
  resolved_by plain, -- who said that it is over
  resolved_at bigint,
  created_at bigint not null,
  primary key (team, id),
  unique (team, observation),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index error_note_by_task on error_note (team, task, id);
create index error_note_by_workspace on error_note (team, workspace, id);

-- How far a task was watched, and what the next observation is watched with. No texts.
create table task_watch (
  team plain not null,
  task plain not null,
  position bigint not null, -- the sequence of the last observation that was watched
  state plain not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A task that a supervisor should look at.
create table intervention (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain not null,
  signal plain not null,
  cause plain not null, -- what it was raised for; once for each
  reason plain not null, -- names of observations and numbers, no text of theirs
  metrics plain not null, -- JSON
  raised_at bigint not null,
  position bigint not null, -- how far the task had come
  state plain not null,
  outcome plain, -- what came of it; null while nobody said
  effectiveness double precision, -- -1 (it hurt) to 1 (it helped)
  note plain not null,
  decided_by plain,
  decided_at bigint,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index intervention_by_state on intervention (team, state, id);

-- Memories that stood in the context which a supervisor was given about an intervention.
create table intervention_memory (
  team plain not null,
  intervention plain not null,
  memory plain not null,
  primary key (team, intervention, memory),
  foreign key (team, intervention) references intervention (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index intervention_memory_by_memory on intervention_memory (team, memory);

-- Interventions that a channel has been told of, such as the command line.
create table intervention_told (
  team plain not null,
  channel plain not null,
  intervention plain not null,
  told_at bigint not null,
  primary key (team, channel, intervention),
  foreign key (team, intervention) references intervention (team, id) on delete cascade
);
create index intervention_told_by_intervention on intervention_told (team, intervention);

select protect('error_note');
select protect('task_watch');
select protect('intervention');
select protect('intervention_memory');
select protect('intervention_told');
grant select, insert, update, delete on error_note, task_watch, intervention, intervention_memory,
  intervention_told to memoranda_app;
