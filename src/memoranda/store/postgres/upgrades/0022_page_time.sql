-- Indexes and totals that keep pages and lists fast with a hundred thousand observations.

-- Totals of the observations of a task, updated by the triggers below in the transaction of each
-- write, so that no reader has to add them up. A transaction that writes observations of a task
-- has already locked the task's row, so that this row causes no further waiting.
create table task_total (
  team plain not null,
  workspace plain not null,
  task plain not null,
  observations bigint not null, -- existing observations; without any, there is no row
  folded bigint not null,
  tokens bigint not null, -- tokens of the contents
  redactions bigint not null,
  summary_characters bigint not null,
  primary key (team, workspace, task)
);

-- For this statement, the owner must see the rows of every team.
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

-- Totals of the contents of a team, updated in the same way. Each database session has its own row,
-- so that concurrent writers do not wait for each other; only the sum of all rows is meaningful.
create table content_total (
  team plain not null,
  part bigint not null, -- id of the writing database session
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

-- For the newest observations of a workspace, and their number since a time.
create index observation_by_recording on observation (team, workspace, recorded_at, id);
-- For observations of one type in a task, in order, and for counting them without reading rows.
create index observation_in_task_by_type on observation (team, task, type, sequence);
-- For the errors of a team, newest first, and for their resolutions.
create index observation_errors on observation (team, id) where type = 'error';
create index observation_by_resolution on observation (team, resolves) where resolves is not null;

-- For the operations on a subject, and for operations by kind except captures, the most frequent kind.
create index journal_by_subject on journal (team, subject, sequence, operation);
create index journal_by_operation on journal (team, operation, sequence)
where operation <> 'observe';

select protect('task_total');
select protect('content_total');
grant select, insert, update, delete on task_total, content_total to memoranda_app;
