-- insert: insert the search entry of a record
insert into entry
  (team, source, kind, workspace, task, position, place, at, standing, version, features)
values
  (:team, :source, :kind, :workspace, :task, :position, :place, :at, :standing, :version, :features)
on conflict do nothing

-- insert_passage: insert a passage of a record, without a vector
insert into passage (team, source, place, workspace, task, text_hash, model)
values (:team, :source, :place, :workspace, :task, :text_hash, '') on conflict do nothing

-- by_sources: entries of records, unordered
select e.source, e.kind, e.task, e.position, e.at, e.standing, e.features, o.tool is not null,
  m.id is not null
from entry e left join observation o on o.team = e.team and o.id = e.source
  left join memory m on m.team = e.team and m.id = e.source and m.kind = 'episodic'
where e.team = :team and e.source in :sources[]

-- at_places: entries at some positions in their tasks
select e.source, e.kind, e.task, e.position, e.at, e.standing, e.features, o.tool is not null,
  m.id is not null
from entry e left join observation o on o.team = e.team and o.id = e.source
  left join memory m on m.team = e.team and m.id = e.source and m.kind = 'episodic'
where e.team = :team and e.place in :places[]

-- standing: instructions and preferences visible in a scope, newest first
select source, standing from entry
where team = :team and standing > 0 and standing = :standing
  and (:workspace is null or workspace is null or workspace = :workspace)
order by source desc limit :limit

-- people: which records are useful messages of people, unordered
select source from entry
where team = :team and source in :sources[] and standing > 0 and kind = 'observation'

-- put_labels: store the labelled parts of a message
update entry set labels = :labels where team = :team and source = :source

-- labels: labelled parts of messages, unordered
select source, labels from entry
where team = :team and source in :sources[] and labels is not null

-- delete: entries of records
delete from entry where team = :team and source in :sources[]

-- outdated: records whose entry was created by an earlier analysis
select source from entry where team = :team and version < :version order by source limit :limit

-- waiting: passages without a vector of the model, unordered
select source, place, text_hash from (
  select source, place, text_hash from passage where team = :team and model < :model
  union all
  select source, place, text_hash from passage where team = :team and model > :model
) as other limit :limit

-- any_waiting: whether some passage has no vector by the model
select 1 where exists (select 1 from passage where team = :team and model < :model)
  or exists (select 1 from passage where team = :team and model > :model)

-- unsearched: whether some passage has no vector of the model, or a job of these kinds is unfinished
select 1 where exists (select 1 from passage where team = :team and model < :model)
  or exists (select 1 from passage where team = :team and model > :model)
  or exists (select 1 from job
    where team = :team and state in ('pending', 'running') and kind in :jobs[])

-- count_waiting: number of passages without a vector of the model
select (select count(*) from passage where team = :team and model < :model)
  + (select count(*) from passage where team = :team and model > :model)

-- count: number of passages
select count(*) from passage where team = :team

-- observations_without: observations of a task after those with an entry, in order
select id from observation
where team = :team and task = :task and repeats is null and sequence > coalesce((
  select position from entry where team = :team and place > :first and place < :last
  order by place desc limit 1), 0)
order by sequence limit :limit

-- memories_without: memories without an entry
select u.memory from memory_unread u left join entry e on e.team = u.team and e.source = u.memory
where u.team = :team and e.source is null order by u.memory limit :limit

-- note_speaker: insert a speaker in the conversations of a workspace
insert into speaker (team, workspace, name) values (:team, :workspace, :name) on conflict do nothing

-- extent: numbers of tasks and observations in a scope, then the names of the speakers
select '' as name, count(*) as tasks, coalesce(sum(observations), 0) as observations from task
where team = :team and (:workspace is null or workspace = :workspace)
union all
select distinct name, 0, 0 from speaker
where team = :team and (:workspace is null or workspace = :workspace)

-- drop_speakers: delete speakers without remaining observations
delete from speaker where team = :team and not exists (
  select 1 from observation o
  where o.team = speaker.team and o.workspace = speaker.workspace and o.agent = speaker.name)

-- unfinished_tasks: tasks whose newest observation has no entry
select t.id from task t
where t.team = :team and t.observations > coalesce((
  select e.position from entry e
  where e.team = t.team and e.place > t.id || '#' and e.place < t.id || '$'
  order by e.place desc limit 1), 0)
order by t.id

-- make_outdated: mark all entries to be recreated
update entry set version = 0 where team = :team

-- replace: replace an entry of an earlier analysis; passages with the same boundaries keep their vectors
update entry set standing = :standing, version = :version, features = :features
where team = :team and source = :source

-- hashes: hashes of passage texts, in order
select source, place, text_hash from passage
where team = :team and source in :sources[] order by source, place
