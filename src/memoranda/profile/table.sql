-- members: memories of a reader's profile, oldest first (ordering by id alone would read all)
with member as materialized (
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory
where team = :team and status = 'approved' and valid_until is null and category in :categories[]
  and (workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent))
select * from member order by id limit :limit

-- shares: tokens of profile memories by audience
select workspace, case when visibility = 'agent' then agent end as reader, category, count(*),
  sum(tokens)
from memory
where team = :team and status = 'approved' and valid_until is null and category in :categories[]
  and (:workspace is null or workspace is null or workspace = :workspace)
group by workspace, case when visibility = 'agent' then agent end, category

-- put: insert a change
insert into profile_change (team, id, workspace, hash, status, size_limit, target, used, short,
  news, told, created_at, applied_at, applied_by, undone_at, undone_by)
values (:team, :id, :workspace, :hash, :status, :limit, :target, :used, :short, :news, :told,
  :created_at, :applied_at, :applied_by, :undone_at, :undone_by)

-- put_step: insert a step of a suggestion
insert into profile_step (team, change, number, memory, place, kind, reason, freed, source, after,
  version)
values (:team, :change, :number, :memory, :place, :kind, :reason, :freed, :source, :after, :version)

-- columns: of a change, in order
select team, id, workspace, hash, status, size_limit, target, used, short, created_at, applied_at,
  applied_by, undone_at, undone_by
from profile_change

-- by_id: one change
where team = :team and id = :id

-- by_prefix: ids with a prefix
select id from profile_change where team = :team and id >= :low and id < :high order by id limit 6

-- preview: the current suggestions for a profile
where team = :team and status = 'preview' and coalesce(workspace, '') = coalesce(:workspace, '')

-- listed: applied changes, newest first
where team = :team and status <> 'preview' and id < :before_id
  and (:workspace is null or workspace = :workspace)
order by id desc limit :limit

-- steps: of several changes, in order
select change, number, kind, reason, memory, freed, source, after, version
from profile_step where team = :team and change in :ids[] order by change, number, place

-- drop_preview: delete the suggestions for a profile
delete from profile_change
where team = :team and status = 'preview' and coalesce(workspace, '') = coalesce(:workspace, '')

-- drop_previews_of: delete suggestions that concern one of these memories
delete from profile_change
where team = :team and status = 'preview' and id in (
  select change from profile_step where team = :team and memory in :ids[]
)

-- apply: mark a suggested change as applied, once
update profile_change set status = 'applied', applied_at = :at, applied_by = :by, news = 0
where team = :team and id = :id and status = 'preview'

-- done: store one step with the version before it
update profile_step set after = null, version = :version
where team = :team and change = :change and number = :number and memory = :memory

-- drop_undone_steps: delete the steps that were not selected
delete from profile_step where team = :team and change = :change and version is null

-- undo: mark an applied change as undone, once
update profile_change set status = 'undone', undone_at = :at, undone_by = :by
where team = :team and id = :id and status = 'applied'

-- news: undelivered news with the channels already notified
select profile_change.id, workspace, used, size_limit, told, sum(freed)
from profile_change join profile_step
  on profile_step.team = profile_change.team and profile_step.change = profile_change.id
where profile_change.team = :team and status = 'preview' and news = 1
group by profile_change.id, workspace, used, size_limit, told
order by profile_change.id limit :limit

-- notified_channels: channels notified of a preview
select told from profile_change
where team = :team and status = 'preview' and coalesce(workspace, '') = coalesce(:workspace, '')

-- mark_notified: store the notified channels
update profile_change set told = :told where team = :team and id = :id

-- make_news: queue a preview as news
update profile_change set news = 1 where team = :team and id = :id and status = 'preview'
