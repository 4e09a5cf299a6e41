-- by_id: one workspace
select team, id, name, root, created_at from workspace where team = :team and id = :id

-- by_name: one workspace by its label
select team, id, name, root, created_at from workspace where team = :team and name = :name

-- by_alias: the workspace that any of these identities belongs to
select w.team, w.id, w.name, w.root, w.created_at
from workspace_alias a join workspace w on w.team = a.team and w.id = a.workspace
where a.team = :team and a.alias in :aliases[] order by w.created_at, w.id limit 1

-- list: every workspace of a team by name
select team, id, name, root, created_at from workspace
where team = :team and name > :after order by name limit :limit

-- insert: a new workspace
insert into workspace (team, id, name, root, created_at)
values (:team, :id, :name, :root, :created_at)

-- alias: one more way to recognise a workspace; the first owner keeps it
insert into workspace_alias (team, alias, workspace) values (:team, :alias, :workspace)
on conflict (team, alias) do nothing

-- aliases: what a workspace is recognised by
select alias from workspace_alias where team = :team and workspace = :workspace order by alias

-- ids: every workspace of a team
select id from workspace where team = :team order by id

-- take_alias: one more way to recognise a workspace, taken from another
insert into workspace_alias (team, alias, workspace) values (:team, :alias, :workspace)
on conflict (team, alias) do update set workspace = excluded.workspace

-- rename: another name
update workspace set name = :name where team = :team and id = :id

-- all_aliases: what leads to which workspace
select workspace, alias from workspace_alias where team = :team order by workspace, alias
