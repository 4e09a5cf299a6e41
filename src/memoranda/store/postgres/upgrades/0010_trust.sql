-- Observations that read like an instruction to the agent: quarantine reason, and who released them.

create table quarantine (
  team plain not null,
  observation plain not null,
  reason plain not null,
  salience plain not null, -- salience after its release
  created_at bigint not null,
  held bigint not null, -- 0 after a person released it
  decided_by plain,
  decided_at bigint,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index quarantine_by_state on quarantine (team, held, observation);

select protect('quarantine');
grant select, insert, update, delete on quarantine to memoranda_app;
