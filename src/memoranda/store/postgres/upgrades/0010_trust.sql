-- Observations that read like an order to the agent: why they are held back, and who released them.

create table quarantine (
  team plain not null,
  observation plain not null,
  reason plain not null,
  salience plain not null, -- what it deserves once it is released
  created_at bigint not null,
  held bigint not null, -- 0 where a person released it
  decided_by plain,
  decided_at bigint,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index quarantine_by_state on quarantine (team, held, observation);

select protect('quarantine');
grant select, insert, update, delete on quarantine to memoranda_app;
