-- Proposals have short numbers within the team, like tasks: 1, 2, 3, ….
alter table proposal add column number bigint not null default 0;

-- For this statement, the owner must see the rows of every team.
alter table proposal no force row level security;
update proposal set number = counted.number from (
  select team, id, row_number() over (partition by team order by id) as number from proposal
) as counted
where proposal.team = counted.team and proposal.id = counted.id;
alter table proposal force row level security;

create unique index proposal_by_number on proposal (team, number);
