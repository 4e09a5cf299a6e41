-- by_id: one workspace
select team, id, name, root, created_at from workspace where team = :team and id = :id

-- by_name: one workspace by its label
select team, id, name, root, created_at from workspace where team = :team and name = :name

-- by_alias: workspace that any of these aliases belongs to
select w.team, w.id, w.name, w.root, w.created_at
from workspace_alias a join workspace w on w.team = a.team and w.id = a.workspace
where a.team = :team and a.alias in :aliases[] order by w.created_at, w.id limit 1

-- list: all workspaces of a team by name
select team, id, name, root, created_at from workspace
where team = :team and name > :after order by name limit :limit

-- insert: a new workspace
insert into workspace (team, id, name, root, created_at)
values (:team, :id, :name, :root, :created_at)

-- alias: insert an alias of a workspace, unless another workspace has it
insert into workspace_alias (team, alias, workspace) values (:team, :alias, :workspace)
on conflict (team, alias) do nothing

-- aliases: aliases of a workspace
select alias from workspace_alias where team = :team and workspace = :workspace order by alias

-- ids: ids of all workspaces of a team
select id from workspace where team = :team order by id

-- take_alias: move an alias to a workspace from another one
insert into workspace_alias (team, alias, workspace) values (:team, :alias, :workspace)
on conflict (team, alias) do update set workspace = excluded.workspace

-- rename: rename a workspace
update workspace set name = :name where team = :team and id = :id

-- all_aliases: aliases with their workspaces
select workspace, alias from workspace_alias where team = :team order by workspace, alias
