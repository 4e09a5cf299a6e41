-- What an agent holds: blocks with every version they had, who holds them, checkpoints, and where a
-- conversation was compacted. Values and states are contents: kept once however often they are used.

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
  agent plain, -- whose own it is
  shared bigint not null, -- seen by those who hold it, and by no other agent
  description plain not null,
  size_limit bigint not null, -- characters
  read_only bigint not null, -- for agents
  version bigint not null, -- the newest
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
  version bigint not null, -- 1, 2, 3 …
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
  sequence bigint not null, -- 1, 2, 3 … within the task
  parent plain, -- the one that the work went on from
  phase plain not null,
  description plain not null,
  position bigint not null, -- the sequence of the newest observation then
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

-- Where the main line of a task ends, and what its state is now.
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

-- A conversation up to some message, in fewer words. The messages themselves stay.
create table compaction (
  team plain not null,
  task plain not null,
  agent plain not null,
  until_sequence bigint not null, -- of the last observation that the summary covers
  summary_hash plain not null,
  tokens bigint not null,
  source_tokens bigint not null, -- of the messages that it stands for
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
