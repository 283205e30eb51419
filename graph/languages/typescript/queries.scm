; What the facts of a JavaScript or TypeScript file are made of. One pass; tree-sitter does the walking.
; The sweep in extract.py puts the captures back into their nesting by their offsets. Every capture costs time: inside
; functions only what holds functions or classes is captured, and the names that are bound.

[
  (identifier)
  (property_identifier)
  (shorthand_property_identifier)
  (private_property_identifier)
] @name

(shorthand_property_identifier_pattern) @binder_name

[(function_declaration) (generator_function_declaration)] @function
[(arrow_function) (function_expression) (generator_function)] @lambda
(method_definition) @method
(class_declaration) @class
(class) @class_expression
[(lexical_declaration) (variable_declaration)] @declaration
(variable_declarator) @variable
[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement) (try_statement) (switch_statement)] @block
(class_static_block) @block
(program (statement_block) @block)
(object) @object
(pair value: [(arrow_function) (function_expression) (generator_function) (class) (object)]) @pair
(assignment_expression right: [(arrow_function) (function_expression) (generator_function) (class) (object)]) @assignment
(import_statement) @import
(export_statement) @export
(call_expression function: (import)) @dynamic

; Names bound by patterns: local unless they stand at module level.
(variable_declarator name: (identifier) @binder)
(pair_pattern value: (identifier) @binder)
(array_pattern (identifier) @binder)
(rest_pattern (identifier) @binder)
(assignment_pattern left: (identifier) @binder)
(for_in_statement left: (identifier) @binder)
(catch_clause parameter: (identifier) @binder)
(arrow_function parameter: (identifier) @binder)
(function_expression name: (identifier) @binder)
