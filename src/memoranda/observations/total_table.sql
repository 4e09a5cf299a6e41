-- redacted: count redactions
insert into redaction (team, task, rule, count) values (:team, :task, :rule, :count)
on conflict (team, task, rule) do update set count = redaction.count + excluded.count

-- redactions: redactions by rule
select r.rule, sum(r.count) from redaction r join task t on t.team = r.team and t.id = r.task
where r.team = :team and (:workspace is null or t.workspace = :workspace)
  and (:task is null or r.task = :task)
group by r.rule order by r.rule

-- by_type: number of observations by type, from a covering index
select type, sum(number) from (
  select type, count(*) as number from observation
  where team = :team and (:workspace is null or workspace = :workspace)
  group by workspace, type
) as counted group by type

-- by_type_in: number of observations by type in a task
select type, count(*) from observation
where team = :team and task = :task and (:workspace is null or workspace = :workspace)
group by type

-- measures: numbers of observations, folded ones, tokens and redactions, and the newest time
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

-- measures_in: the same for a task
select count(*), count(repeats), coalesce(sum(tokens), 0), coalesce(sum(redactions), 0),
  max(recorded_at)
from observation
where team = :team and task = :task and (:workspace is null or workspace = :workspace)

-- captured: number in total and since a time, last time, tokens, and characters of the summaries
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

-- captured_days: number of observations by day since the epoch, from a time on
select recorded_at / 86400000000, count(*) from observation
where team = :team and recorded_at >= :since and workspace in (
  select distinct workspace from task_total
  where team = :team and (:workspace is null or workspace = :workspace))
group by recorded_at / 86400000000

-- drop_totals: delete the totals of tasks
delete from task_total where team = :team

-- total: recompute the totals from the observations
insert into task_total (team, workspace, task, observations, folded, tokens, redactions,
  summary_characters)
select team, workspace, task, count(*), count(repeats), sum(tokens), sum(redactions),
  sum(length(summary))
from observation where team = :team group by team, workspace, task

-- tokens_in: tokens captured in a workspace, counting repeats once
select coalesce(sum(tokens), 0) from observation
where team = :team and (:workspace is null or workspace = :workspace) and repeats is null
