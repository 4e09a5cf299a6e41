-- imported: the ids of memories that came from other systems
select id from memory where team = :team and source = 'import'
