-- insert: one call
insert into model_call (team, id, operation, provider, model, agent, task, input_tokens,
  output_tokens, cached_tokens, measured, cost, price, state, month, created_at)
values (:team, :id, :operation, :provider, :model, :agent, :task, :input_tokens, :output_tokens,
  :cached_tokens, :measured, :cost, :price, :state, :month, :created_at)

-- end: store the end of a call in progress
update model_call set input_tokens = :input_tokens, output_tokens = :output_tokens,
  cached_tokens = :cached_tokens, measured = :measured, cost = :cost, state = :state
where team = :team and id = :id and state = 'reserved'

-- total: cost of a month's calls, including reservations
select coalesce(sum(cost), 0) from model_call where team = :team and month = :month

-- settled: cost of a month's completed calls
select coalesce(sum(cost), 0) from model_call
where team = :team and month = :month and state <> 'reserved'

-- day_total: number and tokens of calls with one price source since a time
select count(*), coalesce(sum(input_tokens + output_tokens), 0) from model_call
where team = :team and price = :price and state <> 'released' and created_at >= :since

-- by_operation: totals of calls by operation in one or all months
select operation, count(*), sum(input_tokens), sum(output_tokens), sum(cached_tokens),
  sum(cost), sum(case when state = 'reserved' then 1 else 0 end)
from model_call where team = :team and state <> 'released' and (:month is null or month = :month)
group by operation order by 1

-- by_agent: totals by agent
select coalesce(agent, ''), count(*), sum(input_tokens), sum(output_tokens), sum(cached_tokens),
  sum(cost), sum(case when state = 'reserved' then 1 else 0 end)
from model_call where team = :team and state <> 'released' and (:month is null or month = :month)
group by agent order by 1

-- by_task: totals by task
select coalesce(task, ''), count(*), sum(input_tokens), sum(output_tokens), sum(cached_tokens),
  sum(cost), sum(case when state = 'reserved' then 1 else 0 end)
from model_call where team = :team and state <> 'released' and (:month is null or month = :month)
group by task order by 1

-- by_model: totals by model
select provider || ':' || model, count(*), sum(input_tokens), sum(output_tokens), sum(cached_tokens),
  sum(cost), sum(case when state = 'reserved' then 1 else 0 end)
from model_call where team = :team and state <> 'released' and (:month is null or month = :month)
group by provider, model order by 1

-- by_day: totals by day since the epoch
select created_at / 86400000000, count(*), sum(input_tokens), sum(output_tokens), sum(cached_tokens),
  sum(cost), sum(case when state = 'reserved' then 1 else 0 end)
from model_call where team = :team and state <> 'released' and (:month is null or month = :month)
group by created_at / 86400000000 order by 1

-- budget: a team's own budget
select cost_limit, alert_share, alerted_month, refused_month, refused, refused_cost
from model_budget where team = :team

-- set_budget: set a team's own limit and share; keep the month of the alert
insert into model_budget (team, cost_limit, alert_share) values (:team, :cost_limit, :alert_share)
on conflict (team) do update set cost_limit = excluded.cost_limit,
  alert_share = excluded.alert_share

-- refuse: store the number and highest cost of refused calls in a month
insert into model_budget (team, refused_month, refused, refused_cost)
values (:team, :month, :refused, :cost)
on conflict (team) do update set refused_month = excluded.refused_month,
  refused = excluded.refused, refused_cost = excluded.refused_cost

-- alert: record the month of an alert, unless it is recorded
insert into model_budget (team, alerted_month) values (:team, :month)
on conflict (team) do update set alerted_month = excluded.alerted_month
where coalesce(model_budget.alerted_month, '') <> excluded.alerted_month
