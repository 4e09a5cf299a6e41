-- What makes pages and listings quick in a memory of a hundred thousand observations.

-- What the observations of a task come to, kept by the triggers below in the transaction of every
-- write, so that nobody has to go through all of them to add them up. Whoever writes observations
-- of a task holds its row already, so nobody waits for this one beside.
create table task_total (
  team plain not null,
  workspace plain not null,
  task plain not null,
  observations bigint not null, -- those that are there; none: no row
  folded bigint not null,
  tokens bigint not null, -- of the contents
  redactions bigint not null,
  summary_characters bigint not null,
  primary key (team, workspace, task)
);

-- For this statement the owner is to see the rows of every team.
alter table observation no force row level security;
insert into task_total
select team, workspace, task, count(*), count(repeats), sum(tokens), sum(redactions),
  sum(length(summary))
from observation group by team, workspace, task;
alter table observation force row level security;

create function count_observations() returns trigger language plpgsql as $$
begin
  insert into task_total as t
  select n.team, n.workspace, n.task, count(*), count(n.repeats), sum(n.tokens),
    sum(n.redactions), sum(length(n.summary))
  from written n group by n.team, n.workspace, n.task
  order by n.team, n.workspace, n.task
  on conflict (team, workspace, task) do update set
    observations = t.observations + excluded.observations, folded = t.folded + excluded.folded,
    tokens = t.tokens + excluded.tokens, redactions = t.redactions + excluded.redactions,
    summary_characters = t.summary_characters + excluded.summary_characters;
  return null;
end $$;
create trigger observation_counts after insert on observation
  referencing new table as written for each statement execute function count_observations();

create function count_observations_no_more() returns trigger language plpgsql as $$
begin
  update task_total t set observations = t.observations - g.observations,
    folded = t.folded - g.folded, tokens = t.tokens - g.tokens,
    redactions = t.redactions - g.redactions,
    summary_characters = t.summary_characters - g.summary_characters
  from (
    select o.team, o.workspace, o.task, count(*) as observations, count(o.repeats) as folded,
      sum(o.tokens) as tokens, sum(o.redactions) as redactions,
      sum(length(o.summary)) as summary_characters
    from gone o group by o.team, o.workspace, o.task
  ) as g
  where t.team = g.team and t.workspace = g.workspace and t.task = g.task;
  delete from task_total t using (select distinct o.team, o.workspace, o.task from gone o) as g
  where t.team = g.team and t.workspace = g.workspace and t.task = g.task and t.observations = 0;
  return null;
end $$;
create trigger observation_counts_no_more after delete on observation
  referencing old table as gone for each statement execute function count_observations_no_more();

create function count_observation_otherwise() returns trigger language plpgsql as $$
begin
  update task_total t
  set folded = t.folded + (new.repeats is not null)::int - (old.repeats is not null)::int
  where t.team = new.team and t.workspace = new.workspace and t.task = new.task;
  return null;
end $$;
create trigger observation_counts_otherwise after update of repeats on observation
  for each row when ((old.repeats is null) <> (new.repeats is null))
  execute function count_observation_otherwise();

-- What the contents of a team come to, kept likewise. A session has a row of its own, which only
-- the sum of all means something of, so that those who write at once do not wait for each other.
create table content_total (
  team plain not null,
  part bigint not null, -- of the session that wrote
  contents bigint not null,
  characters bigint not null,
  bytes bigint not null,
  primary key (team, part)
);

alter table blob no force row level security;
insert into content_total
select team, -1, count(*), sum(size), sum(length(data)) from blob group by team;
alter table blob force row level security;

create function count_contents() returns trigger language plpgsql as $$
begin
  insert into content_total as t
  select n.team, pg_backend_pid() % 1024, count(*), sum(n.size), sum(length(n.data))
  from written n group by n.team order by n.team
  on conflict (team, part) do update set contents = t.contents + excluded.contents,
    characters = t.characters + excluded.characters, bytes = t.bytes + excluded.bytes;
  return null;
end $$;
create trigger blob_counts after insert on blob
  referencing new table as written for each statement execute function count_contents();

create function count_contents_no_more() returns trigger language plpgsql as $$
begin
  insert into content_total as t
  select o.team, pg_backend_pid() % 1024, -count(*), -sum(o.size), -sum(length(o.data))
  from gone o group by o.team order by o.team
  on conflict (team, part) do update set contents = t.contents + excluded.contents,
    characters = t.characters + excluded.characters, bytes = t.bytes + excluded.bytes;
  return null;
end $$;
create trigger blob_counts_no_more after delete on blob
  referencing old table as gone for each statement execute function count_contents_no_more();

-- The newest of a workspace, and how many there are since a time.
create index observation_by_recording on observation (team, workspace, recorded_at, id);
-- Those of one type in a task, in order; their number without a look at them.
create index observation_in_task_by_type on observation (team, task, type, sequence);
-- The errors of a team, newest first, and what ended an error.
create index observation_errors on observation (team, id) where type = 'error';
create index observation_by_resolution on observation (team, resolves) where resolves is not null;

-- What was done to something, and everything of one kind but capturing, which is most of it.
create index journal_by_subject on journal (team, subject, sequence, operation);
create index journal_by_operation on journal (team, operation, sequence)
where operation <> 'observe';

select protect('task_total');
select protect('content_total');
grant select, insert, update, delete on task_total, content_total to memoranda_app;
