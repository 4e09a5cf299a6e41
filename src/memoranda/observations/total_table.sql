-- redacted: count what was taken out
insert into redaction (team, task, rule, count) values (:team, :task, :rule, :count)
on conflict (team, task, rule) do update set count = redaction.count + excluded.count

-- redactions: what was taken out, by rule
select r.rule, sum(r.count) from redaction r join task t on t.team = r.team and t.id = r.task
where r.team = :team and (:workspace is null or t.workspace = :workspace)
  and (:task is null or r.task = :task)
group by r.rule order by r.rule

-- by_type: how many observations of each type, in the order of an index that has all it needs
select type, sum(number) from (
  select type, count(*) as number from observation
  where team = :team and (:workspace is null or workspace = :workspace)
  group by workspace, type
) as counted group by type

-- by_type_in: likewise of a task
select type, count(*) from observation
where team = :team and task = :task and (:workspace is null or workspace = :workspace)
group by type

-- measures: observations, folded ones, tokens of the contents, redactions, the newest
select coalesce(sum(observations), 0), coalesce(sum(folded), 0), coalesce(sum(tokens), 0),
  coalesce(sum(redactions), 0), (
    select max(newest) from (
      select (
        select max(o.recorded_at) from observation o
        where o.team = w.team and o.workspace = w.workspace) as newest
      from (
        select distinct team, workspace from task_total
        where team = :team and (:workspace is null or workspace = :workspace)
      ) as w
    ) as found)
from task_total
where team = :team and (:workspace is null or workspace = :workspace)

-- measures_in: likewise of a task
select count(*), count(repeats), coalesce(sum(tokens), 0), coalesce(sum(redactions), 0),
  max(recorded_at)
from observation
where team = :team and task = :task and (:workspace is null or workspace = :workspace)

-- captured: how many, since a time too, when last, their tokens, characters of their summaries
with place as (
  select distinct team, workspace from task_total
  where team = :team and (:workspace is null or workspace = :workspace)),
lately as (
  select (
    select count(*) from observation o
    where o.team = p.team and o.workspace = p.workspace and o.recorded_at >= :since) as recent, (
    select max(o.recorded_at) from observation o
    where o.team = p.team and o.workspace = p.workspace) as newest
  from place p)
select coalesce(sum(observations), 0), (select coalesce(sum(recent), 0) from lately),
  (select max(newest) from lately), coalesce(sum(tokens), 0),
  coalesce(sum(summary_characters), 0)
from task_total
where team = :team and (:workspace is null or workspace = :workspace)

-- captured_days: numbers of observations by day since the epoch, from a time on
select recorded_at / 86400000000, count(*) from observation
where team = :team and recorded_at >= :since and workspace in (
  select distinct workspace from task_total
  where team = :team and (:workspace is null or workspace = :workspace))
group by recorded_at / 86400000000

-- drop_totals: what the observations of tasks come to
delete from task_total where team = :team

-- total: the same anew, from the observations themselves
insert into task_total (team, workspace, task, observations, folded, tokens, redactions,
  summary_characters)
select team, workspace, task, count(*), count(repeats), sum(tokens), sum(redactions),
  sum(length(summary))
from observation where team = :team group by team, workspace, task

-- tokens_in: tokens of what was captured in a workspace, repeats counted once
select coalesce(sum(tokens), 0) from observation
where team = :team and (:workspace is null or workspace = :workspace) and repeats is null
