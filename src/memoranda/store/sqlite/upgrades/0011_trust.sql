-- Observations that read like an instruction to the agent: quarantine reason, and who released them.

create table quarantine (
  team text not null,
  observation text not null,
  reason text not null,
  salience text not null, -- salience after its release
  created_at integer not null,
  held integer not null, -- 0 after a person released it
  decided_by text,
  decided_at integer,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create index quarantine_by_state on quarantine (team, held, observation);
