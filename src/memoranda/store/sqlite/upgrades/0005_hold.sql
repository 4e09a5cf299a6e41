-- State of agents: blocks with all their versions and holders, checkpoints, and compactions of
-- conversations. Values and states are stored as contents, each once.

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
  agent text, -- agent that owns it
  shared integer not null, -- visible only to agents that hold it
  description text not null,
  size_limit integer not null, -- characters
  read_only integer not null, -- read-only for agents
  version integer not null, -- number of the newest version
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
  version integer not null, -- version number: 1, 2, 3, …
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
  sequence integer not null, -- number within the task: 1, 2, 3, …
  parent text, -- checkpoint from which the work continued
  phase text not null,
  description text not null,
  position integer not null, -- sequence number of the newest observation at that time
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

-- End of a task's main line, and its current state.
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

-- Summary of a conversation up to some message. The messages themselves are kept.
create table compaction (
  team text not null,
  task text not null,
  agent text not null,
  until_sequence integer not null, -- sequence number of the last observation covered
  summary_hash text not null,
  tokens integer not null,
  source_tokens integer not null, -- tokens of the summarised messages
  mode text not null,
  created_at integer not null,
  primary key (team, task, agent, until_sequence),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index compaction_by_summary on compaction (team, summary_hash);
