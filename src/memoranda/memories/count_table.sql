-- totals: number of visible memories by workspace, category and status
select w.name, m.category,
  case when m.status = 'approved' and m.valid_until <= :now then 'ended' else m.status end,
  count(*), sum(m.critical), sum(m.uses), sum(m.tokens)
from memory m left join workspace w on w.team = m.team and w.id = m.workspace
where m.team = :team and (:workspace is null or m.workspace is null or m.workspace = :workspace)
  and (m.visibility <> 'agent' or m.agent = :agent)
group by 1, 2, 3

-- surplus: least useful memories of each scope beyond its capacity
with ranked as (
  select id, critical, protected, row_number() over (
    partition by coalesce(workspace, ''), case when visibility = 'agent' then agent end
    order by critical desc, protected desc, uses desc, coalesce(last_used, updated_at) desc,
      id desc) as place
  from memory
  where team = :team and kind = :kind and status = 'approved' and valid_until is null)
select id from ranked
where place > :capacity and critical = 0 and protected = 0
order by place desc limit :limit
