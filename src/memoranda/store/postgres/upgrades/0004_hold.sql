-- State of agents: blocks with all their versions and holders, checkpoints, and compactions of
-- conversations. Values and states are stored as contents, each once.

create table agent (
  team plain not null,
  id plain not null,
  name plain not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  primary key (team, id)
);

create table block (
  team plain not null,
  id plain not null,
  label plain not null,
  workspace plain,
  task plain,
  agent plain, -- agent that owns it
  shared bigint not null, -- visible only to agents that hold it
  description plain not null,
  size_limit bigint not null, -- characters
  read_only bigint not null, -- read-only for agents
  version bigint not null, -- number of the newest version
  created_at bigint not null,
  updated_at bigint not null,
  accessed_at bigint not null,
  deleted_at bigint,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id),
  foreign key (team, task) references task (team, id) on delete cascade
);
create unique index block_by_label on block
  (team, label, coalesce(workspace, ''), coalesce(task, ''), coalesce(agent, ''), shared)
  where deleted_at is null;
create index block_by_task on block (team, task) where task is not null;

create table block_version (
  team plain not null,
  block plain not null,
  version bigint not null, -- version number: 1, 2, 3, …
  value_hash plain not null,
  size bigint not null, -- characters
  tokens bigint not null,
  kind plain not null,
  source plain not null, -- system, agent or human
  agent plain,
  reason plain not null,
  created_at bigint not null,
  primary key (team, block, version),
  foreign key (team, block) references block (team, id) on delete cascade
);
create index block_version_by_value on block_version (team, value_hash);

create table block_holder (
  team plain not null,
  block plain not null,
  agent plain not null,
  role plain not null,
  attached_at bigint not null,
  primary key (team, block, agent),
  foreign key (team, block) references block (team, id) on delete cascade
);
create index block_holder_by_agent on block_holder (team, agent);

create table checkpoint (
  team plain not null,
  id plain not null,
  task plain not null,
  sequence bigint not null, -- number within the task: 1, 2, 3, …
  parent plain, -- checkpoint from which the work continued
  phase plain not null,
  description plain not null,
  position bigint not null, -- sequence number of the newest observation at that time
  state_hash plain not null, -- JSON
  tokens bigint not null,
  cost bigint not null, -- millionths of a dollar
  duration_ms bigint not null,
  agent plain,
  created_at bigint not null,
  primary key (team, id),
  unique (team, task, sequence),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index checkpoint_by_state on checkpoint (team, state_hash);

create table checkpoint_block (
  team plain not null,
  checkpoint plain not null,
  block plain not null,
  version bigint not null,
  size_limit bigint not null,
  primary key (team, checkpoint, block),
  foreign key (team, checkpoint) references checkpoint (team, id) on delete cascade
);

-- End of a task's main line, and its current state.
create table task_state (
  team plain not null,
  task plain not null,
  head plain, -- a checkpoint
  state_hash plain not null, -- JSON
  updated_at bigint not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index task_state_by_state on task_state (team, state_hash);

-- Summary of a conversation up to some message. The messages themselves are kept.
create table compaction (
  team plain not null,
  task plain not null,
  agent plain not null,
  until_sequence bigint not null, -- sequence number of the last observation covered
  summary_hash plain not null,
  tokens bigint not null,
  source_tokens bigint not null, -- tokens of the summarised messages
  mode plain not null,
  created_at bigint not null,
  primary key (team, task, agent, until_sequence),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index compaction_by_summary on compaction (team, summary_hash);

select protect('agent');
select protect('block');
select protect('block_version');
select protect('block_holder');
select protect('checkpoint');
select protect('checkpoint_block');
select protect('task_state');
select protect('compaction');
grant select, insert, update, delete on agent, block, block_version, block_holder, checkpoint, checkpoint_block, task_state, compaction
  to memoranda_app;
