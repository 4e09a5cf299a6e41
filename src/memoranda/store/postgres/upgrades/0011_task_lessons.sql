-- Results of ended tasks, and rules that approve proposals automatically.

create table task_archive (
  team plain not null,
  task plain not null,
  memory plain not null, -- may have been forgotten
  position bigint not null, -- sequence number of the last observation that it covers
  status plain not null,
  written_at bigint not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

create table lesson (
  team plain not null,
  workspace plain not null,
  key plain not null, -- hash of its subject
  memory plain not null, -- may have been forgotten
  seen bigint not null, -- number of tasks that yielded it
  updated_at bigint not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);
create index lesson_by_memory on lesson (team, memory);

-- Tasks that yielded a lesson, so that none counts twice.
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
  confidence double precision not null, -- minimum, 0 to 1
  origin plain not null, -- minimum trust
  agents bigint not null, -- 1: also for proposals by agents
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
