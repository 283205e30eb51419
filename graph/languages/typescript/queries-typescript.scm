; The parts that only the typescript and tsx grammars have.

(type_identifier) @name
(function_signature) @function
[(method_signature) (abstract_method_signature)] @signature
(property_signature type: (type_annotation (function_type))) @signature
(public_field_definition) @field
(abstract_class_declaration) @class
(interface_declaration) @interface
(type_alias_declaration) @alias
(enum_declaration) @enum
[(internal_module) (module)] @namespace
(ambient_declaration) @ambient
(import_alias) @import_alias
(object_type) @object_type
(decorator) @decorator
(required_parameter pattern: (identifier) @binder)
(optional_parameter pattern: (identifier) @binder)
(type_parameter name: (type_identifier) @type_binder)
(infer_type (type_identifier) @type_binder)
(mapped_type_clause name: (type_identifier) @type_binder)
