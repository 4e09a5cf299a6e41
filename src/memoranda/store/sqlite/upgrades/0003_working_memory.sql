-- Working memory: what a task notes down for a while. The value is JSON; what is expired may still
-- be here. Time of writing tells which is newer of this and what lies in Redis.
create table working (
  team text not null,
  task text not null,
  key text not null,
  value text not null,
  written_at integer not null,
  expires_at integer not null,
  primary key (team, task, key),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index working_by_end on working (team, expires_at);
