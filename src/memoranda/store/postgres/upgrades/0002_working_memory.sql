-- Working memory: temporary notes of a task. The value is JSON; expired entries may still exist.
-- The time of writing determines which is newer, this entry or the one in Redis.
create table working (
  team plain not null,
  task plain not null,
  key plain not null,
  value plain not null,
  written_at bigint not null,
  expires_at bigint not null,
  primary key (team, task, key),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index working_by_end on working (team, expires_at);

select protect('working');
grant select, insert, update, delete on working to memoranda_app;
