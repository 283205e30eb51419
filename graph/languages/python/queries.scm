; What one pass over a Python file captures. Everything else is worked out from these nodes' offsets (see outline.py).
; Most files are spared that pass (see statements.py): what is captured here is to be found there, too.

; Code in strings; the names are all words outside of strings and comments.
(interpolation) @interpolation

(function_definition) @function
(class_definition) @class
(decorated_definition) @decorated
(import_statement) @import
(import_from_statement) @from
(yield) @yield

; Scopes that aren't definitions, but in which names are bound.
[(lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @anonymous

; Strings in annotation position: the names in them are code.
(type (string) @annotation)
(type (binary_operator (string) @annotation))
(type (list (string) @annotation))
(type (subscript (string) @annotation))
(type (subscript (subscript (string) @annotation)))

; Every place that binds a name, but for the parameters of functions: the definitions have them.
(lambda_parameters (identifier) @bound)
(lambda_parameters (default_parameter name: (identifier) @bound))
(type_parameter (type (identifier) @bound))
(list_splat_pattern (identifier) @bound)
(dictionary_splat_pattern (identifier) @bound)
(pattern_list (identifier) @bound)
(tuple_pattern (identifier) @bound)
(list_pattern (identifier) @bound)
(for_statement left: (identifier) @bound)
(for_in_clause left: (identifier) @bound)
(as_pattern_target (identifier) @bound)
(as_pattern_target (_ (identifier) @bound))
(as_pattern (identifier) @bound .)
(named_expression name: (identifier) @bound)
(case_pattern (dotted_name . (identifier) @bound .))
(keyword_pattern (dotted_name . (identifier) @bound .))
(splat_pattern (identifier) @bound)
(assignment left: (identifier) @bound)
(augmented_assignment left: (identifier) @bound)
(delete_statement (identifier) @bound)
