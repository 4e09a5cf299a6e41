-- workspaces: those of what was chosen
(:narrow = 0 or id in :workspaces[])

-- agents: those of what was chosen
(:narrow = 0 or id in :agents[])

-- tasks: those of what was chosen
(:workspace is null or workspace = :workspace) and (:agent is null or id in :tasks[])

-- stages: those of what was chosen
(:narrow = 0 or task in :tasks[])

-- stage_tracking: those of what was chosen
(:narrow = 0 or task in :tasks[])

-- observations: those of what was chosen
(:workspace is null or workspace = :workspace) and (:agent is null or task in :tasks[])

-- memories: those of what was chosen; of an agent, its own
(:workspace is null or workspace = :workspace)
  and (:agent is null or (visibility = 'agent' and agent = :agent))

-- memory_versions: of the memories that were chosen
memory in (select id from memory where team = :team
  and (:workspace is null or workspace = :workspace)
  and (:agent is null or (visibility = 'agent' and agent = :agent)))

-- blocks: those of what was chosen
(:narrow = 0 or id in :blocks[])

-- block_versions: those of what was chosen
(:narrow = 0 or block in :blocks[])

-- holders: those of what was chosen; of an agent, that it holds something itself
(:narrow = 0 or block in :blocks[]) and (:agent is null or agent = :agent)

-- checkpoints: those of what was chosen
(:narrow = 0 or task in :tasks[])

-- task_states: those of what was chosen
(:narrow = 0 or task in :tasks[])

-- compactions: those of what was chosen
(:narrow = 0 or task in :tasks[])

-- aliases: what workspaces are recognised by
select workspace, alias from workspace_alias
where team = :team and workspace in :ids[] order by workspace, alias

-- redactions: what was taken out of tasks
select task, rule, count from redaction where team = :team and task in :ids[]

-- evidence: what memories rest on
select memory, observation from memory_evidence
where team = :team and memory in :ids[] order by memory, observation

-- open: errors of tasks that nothing has ended yet
select observation, target from open_error
where team = :team and task in :tasks[] and observation in :ids[] order by target

-- held: the blocks of checkpoints; those that were not chosen are left out
select checkpoint, block, version, size_limit from checkpoint_block
where team = :team and checkpoint in :ids[] and (:narrow = 0 or block in :blocks[])
order by checkpoint, block

-- contents: some of them
select hash, codec, data from blob where team = :team and hash in :hashes[]

-- sizes: how long contents are
select hash, size from blob where team = :team and hash in :hashes[]
