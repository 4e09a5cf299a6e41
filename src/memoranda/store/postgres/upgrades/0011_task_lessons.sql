-- What tasks leave behind when they end, and rules by which proposals are approved at once.

create table task_archive (
  team plain not null,
  task plain not null,
  memory plain not null, -- which may have been forgotten
  position bigint not null, -- the sequence of the last observation that it tells of
  status plain not null,
  written_at bigint not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

create table lesson (
  team plain not null,
  workspace plain not null,
  key plain not null, -- a hash of what it is about
  memory plain not null, -- which may have been forgotten
  seen bigint not null, -- in how many tasks
  updated_at bigint not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);
create index lesson_by_memory on lesson (team, memory);

-- Which tasks taught a lesson, so that none counts twice.
create table lesson_task (
  team plain not null,
  workspace plain not null,
  key plain not null,
  task plain not null,
  primary key (team, workspace, key, task),
  foreign key (team, workspace, key) references lesson (team, workspace, key) on delete cascade,
  foreign key (team, task) references task (team, id) on delete cascade
);
create index lesson_task_by_task on lesson_task (team, task);

create table approval_rule (
  team plain not null,
  id plain not null,
  source plain,
  category plain,
  confidence double precision not null, -- at least, 0 to 1
  origin plain not null, -- at least so trusted
  agents bigint not null, -- 1: also what agents say
  workspace plain,
  enabled bigint not null,
  created_by plain not null,
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);

select protect('task_archive');
select protect('lesson');
select protect('lesson_task');
select protect('approval_rule');
grant select, insert, update, delete on task_archive, lesson, lesson_task, approval_rule
  to memoranda_app;
