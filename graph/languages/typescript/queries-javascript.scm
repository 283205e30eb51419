; The parts that only the javascript grammar has.

(field_definition) @field
(formal_parameters (identifier) @binder)
