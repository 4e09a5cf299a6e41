-- What an agent holds: blocks with every version they had, who holds them, checkpoints, and where a
-- conversation was compacted. Values and states are contents: kept once however often they are used.

create table agent (
  team text not null,
  id text not null,
  name text not null,
  created_at integer not null,
  last_seen_at integer not null,
  primary key (team, id)
) strict, without rowid;

create table block (
  team text not null,
  id text not null,
  label text not null,
  workspace text,
  task text,
  agent text, -- whose own it is
  shared integer not null, -- seen by those who hold it, and by no other agent
  description text not null,
  size_limit integer not null, -- characters
  read_only integer not null, -- for agents
  version integer not null, -- the newest
  created_at integer not null,
  updated_at integer not null,
  accessed_at integer not null,
  deleted_at integer,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create unique index block_by_label on block
  (team, label, coalesce(workspace, ''), coalesce(task, ''), coalesce(agent, ''), shared)
  where deleted_at is null;
create index block_by_task on block (team, task) where task is not null;

create table block_version (
  team text not null,
  block text not null,
  version integer not null, -- 1, 2, 3 …
  value_hash text not null,
  size integer not null, -- characters
  tokens integer not null,
  kind text not null,
  source text not null, -- system, agent or human
  agent text,
  reason text not null,
  created_at integer not null,
  primary key (team, block, version),
  foreign key (team, block) references block (team, id) on delete cascade
) strict;
create index block_version_by_value on block_version (team, value_hash);

create table block_holder (
  team text not null,
  block text not null,
  agent text not null,
  role text not null,
  attached_at integer not null,
  primary key (team, block, agent),
  foreign key (team, block) references block (team, id) on delete cascade
) strict, without rowid;
create index block_holder_by_agent on block_holder (team, agent);

create table checkpoint (
  team text not null,
  id text not null,
  task text not null,
  sequence integer not null, -- 1, 2, 3 … within the task
  parent text, -- the one that the work went on from
  phase text not null,
  description text not null,
  position integer not null, -- the sequence of the newest observation then
  state_hash text not null, -- JSON
  tokens integer not null,
  cost integer not null, -- millionths of a dollar
  duration_ms integer not null,
  agent text,
  created_at integer not null,
  primary key (team, id),
  unique (team, task, sequence),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index checkpoint_by_state on checkpoint (team, state_hash);

create table checkpoint_block (
  team text not null,
  checkpoint text not null,
  block text not null,
  version integer not null,
  size_limit integer not null,
  primary key (team, checkpoint, block),
  foreign key (team, checkpoint) references checkpoint (team, id) on delete cascade
) strict, without rowid;

-- Where the main line of a task ends, and what its state is now.
create table task_state (
  team text not null,
  task text not null,
  head text, -- a checkpoint
  state_hash text not null, -- JSON
  updated_at integer not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;
create index task_state_by_state on task_state (team, state_hash);

-- A conversation up to some message, in fewer words. The messages themselves stay.
create table compaction (
  team text not null,
  task text not null,
  agent text not null,
  until_sequence integer not null, -- of the last observation that the summary covers
  summary_hash text not null,
  tokens integer not null,
  source_tokens integer not null, -- of the messages that it stands for
  mode text not null,
  created_at integer not null,
  primary key (team, task, agent, until_sequence),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index compaction_by_summary on compaction (team, summary_hash);
