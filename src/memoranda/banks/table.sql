-- memories: number of memories by place, category and status
select coalesce(workspace, ''), category, status, count(*), max(updated_at) from memory
where team = :team and coalesce(workspace, '') in :places[]
  and (visibility <> 'agent' or agent = :agent)
group by coalesce(workspace, ''), category, status

-- tasks: number of tasks by workspace, and the newest event
select workspace, count(*), max(last_event_at) from task
where team = :team and workspace in :places[]
group by workspace

-- entries: approved memories of one place and category, newest first
select id from memory
where team = :team and coalesce(workspace, '') = :place and status = 'approved'
  and (:category is null or category = :category) and id < :before
  and (visibility <> 'agent' or agent = :agent)
order by id desc limit :limit
