-- Observations that read like an order to the agent: why they are held back, and who released them.

create table quarantine (
  team text not null,
  observation text not null,
  reason text not null,
  salience text not null, -- what it deserves once it is released
  created_at integer not null,
  held integer not null, -- 0 where a person released it
  decided_by text,
  decided_at integer,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create index quarantine_by_state on quarantine (team, held, observation);
