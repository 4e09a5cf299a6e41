-- add_observation: what full text knows of an observation
insert into observation_text (team, id, workspace, task, words, identifiers)
values (:team, :id, :workspace, :task, to_tsvector('prose', :words), :identifiers)

-- add_memory: what full text knows of a memory
insert into memory_text (team, id, workspace, task, words, identifiers)
values (:team, :id, :workspace, :task, to_tsvector('prose', :words), :identifiers)

-- remove_observation: rows that are to be deleted
delete from observation_text where team = :team and id in :ids[]

-- remove_memory: rows that are to be deleted
delete from memory_text where team = :team and id in :ids[]

-- search_observation: through a function that the policies of the table do not slow down
select found, score from search_observations(:team, :workspace, :task,
  array(select jsonb_array_elements_text(:words::jsonb)),
  array(select jsonb_array_elements_text(:parts::jsonb)), :limit)

-- search_memory: through a function that the policies of the table do not slow down
select found, score from search_memories(:team, :workspace,
  array(select jsonb_array_elements_text(:words::jsonb)),
  array(select jsonb_array_elements_text(:parts::jsonb)), :limit)

-- count_observation: in how many observations words stand
select word, records from count_words(:team, 'observation',
  array(select jsonb_array_elements_text(:words::jsonb)), :most)

-- count_memory: in how many memories words stand
select word, records from count_words(:team, 'memory',
  array(select jsonb_array_elements_text(:words::jsonb)), :most)

-- total_observation: about how many observations a team has
select coalesce(sum(observations), 0) from task where team = :team

-- total_memory: how many memories a team has
select count(*) from memory where team = :team
