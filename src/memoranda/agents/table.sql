-- see: insert an agent, or update the time when it was last seen
insert into agent (team, id, name, created_at, last_seen_at) values (:team, :id, :name, :now, :now)
on conflict (team, id) do update set last_seen_at = excluded.last_seen_at
where agent.last_seen_at < excluded.last_seen_at

-- by_id: one agent
select id, name, created_at, last_seen_at from agent where team = :team and id = :id

-- list: agents in id order
select id, name, created_at, last_seen_at from agent
where team = :team and id > :after order by id limit :limit

-- attached: blocks attached to an agent
select b.id, b.label, h.role from block_holder h
join block b on b.team = h.team and b.id = h.block
where h.team = :team and h.agent = :agent and b.deleted_at is null order by b.label, b.id

-- known: which names are agent ids
select id from agent where team = :team and id in :names[]

-- writing: names under which agents wrote in some tasks, with the tasks
select distinct task, agent from observation
where team = :team and task in :tasks[] and agent in :names[] and origin = 'agent'
