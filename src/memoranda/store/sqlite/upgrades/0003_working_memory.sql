-- Working memory: temporary notes of a task. The value is JSON; expired entries may still exist.
-- The time of writing determines which is newer, this entry or the one in Redis.
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
