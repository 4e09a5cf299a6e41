-- totals: memories by workspace, category and status, of those the caller may see
select w.name, m.category, m.status, count(*), sum(m.critical), sum(m.uses), sum(m.tokens)
from memory m left join workspace w on w.team = m.team and w.id = m.workspace
where m.team = :team and (:workspace is null or m.workspace is null or m.workspace = :workspace)
  and (m.visibility <> 'agent' or :agent is null or m.agent = :agent)
group by w.name, m.category, m.status
