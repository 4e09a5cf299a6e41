-- Manually recorded errors, and tasks that are monitored for a supervisor.

-- A manually recorded error, or a note about a captured one.
create table error_note (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain, -- null if it occurred outside any task
  stage plain,
  agent plain not null, -- agent that recorded it; empty for a person
  type plain not null,
  description plain not null,
  context plain not null,
  recovery plain not null, -- its resolution; empty while it is open
  severity double precision not null, -- 0 to 1
  observation plain, -- the captured error that it is about
  position bigint not null, -- number of observations of the task at that time
  resolved_by plain, -- who reported the resolution
  resolved_at bigint,
  created_at bigint not null,
  primary key (team, id),
  unique (team, observation),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index error_note_by_task on error_note (team, task, id);
create index error_note_by_workspace on error_note (team, workspace, id);

-- Position and state of the supervision of a task, without texts.
create table task_watch (
  team plain not null,
  task plain not null,
  position bigint not null, -- sequence number of the last processed observation
  state plain not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A task that a supervisor should examine.
create table intervention (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain not null,
  signal plain not null,
  cause plain not null, -- cause; one intervention for each
  reason plain not null, -- names of observations, and numbers, but no text from them
  metrics plain not null, -- JSON
  raised_at bigint not null,
  position bigint not null, -- number of observations of the task at that time
  state plain not null,
  outcome plain, -- outcome; null until it is recorded
  effectiveness double precision, -- -1 (it hurt) to 1 (it helped)
  note plain not null,
  decided_by plain,
  decided_at bigint,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index intervention_by_state on intervention (team, state, id);

-- Memories in the context that a supervisor received for an intervention.
create table intervention_memory (
  team plain not null,
  intervention plain not null,
  memory plain not null,
  primary key (team, intervention, memory),
  foreign key (team, intervention) references intervention (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index intervention_memory_by_memory on intervention_memory (team, memory);

-- Interventions that a channel has shown, such as the command line.
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
