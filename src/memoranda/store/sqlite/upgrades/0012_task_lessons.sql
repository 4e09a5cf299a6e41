-- What tasks leave behind when they end, and rules by which proposals are approved at once.

create table task_archive (
  team text not null,
  task text not null,
  memory text not null, -- which may have been forgotten
  position integer not null, -- the sequence of the last observation that it tells of
  status text not null,
  written_at integer not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

create table lesson (
  team text not null,
  workspace text not null,
  key text not null, -- a hash of what it is about
  memory text not null, -- which may have been forgotten
  seen integer not null, -- in how many tasks
  updated_at integer not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;
create index lesson_by_memory on lesson (team, memory);

-- Which tasks taught a lesson, so that none counts twice.
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
  confidence real not null, -- at least, 0 to 1
  origin text not null, -- at least so trusted
  agents integer not null, -- 1: also what agents say
  workspace text,
  enabled integer not null,
  created_by text not null,
  created_at integer not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;
