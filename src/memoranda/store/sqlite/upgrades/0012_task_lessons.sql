-- Results of ended tasks, and rules that approve proposals automatically.

create table task_archive (
  team text not null,
  task text not null,
  memory text not null, -- may have been forgotten
  position integer not null, -- sequence number of the last observation that it covers
  status text not null,
  written_at integer not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

create table lesson (
  team text not null,
  workspace text not null,
  key text not null, -- hash of its subject
  memory text not null, -- may have been forgotten
  seen integer not null, -- number of tasks that yielded it
  updated_at integer not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;
create index lesson_by_memory on lesson (team, memory);

-- Tasks that yielded a lesson, so that none counts twice.
create table lesson_task (
  team text not null,
  workspace text not null,
  key text not null,
  task text not null,
  primary key (team, workspace, key, task),
  foreign key (team, workspace, key) references lesson (team, workspace, key) on delete cascade,
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;
create index lesson_task_by_task on lesson_task (team, task);

create table approval_rule (
  team text not null,
  id text not null,
  source text,
  category text,
  confidence real not null, -- minimum, 0 to 1
  origin text not null, -- minimum trust
  agents integer not null, -- 1: also for proposals by agents
  workspace text,
  enabled integer not null,
  created_by text not null,
  created_at integer not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;
