"""PHP's own lists: names too common to follow, what is built in."""

from __future__ import annotations

from typing import Final

from graph.facts import Definition

COMMON_NAMES: Final = frozenset(
    """
    save find findall findby findoneby where handle toarray get set has add remove all first last delete update create
    make build run execute exec process name type id key value values keys count size length current next rewind valid
    filter map each reduce merge sort reverse push pop shift slice is equals compare format parse render load read write
    open close start stop reset clear init boot register call invoke apply send dispatch fire emit listen on off log
    info debug warning error notice critical alert emergency validate authorize rules with when then tap pipe query
    select insert from join order limit offset groupby orderby tostring tojson jsonserialize serialize unserialize
    getname gettype getid getvalue getkey getdata getoptions getmessage getcode setname settype setvalue setdata
    getiterator offsetget offsetset offsetexists offsetunset supports configure getparent getchildren getpath getcontent
    getcontext getuser getrequest getresponse getstatus setup teardown up down collection view response request
    data end wait done clone copy put patch post head options reload refresh fresh attach detach sync
    """.split()
)
"""Method names, in lower case, that count only where the receiver is known."""

CONSTRUCTORS: Final = frozenset({"__construct"})
NONE: Final[dict[str, int]] = {}
ITERABLES: Final = {"__array": 0, "Traversable": 1}

BUILTIN_FUNCTIONS: Final = frozenset(
    """
    abs array_chunk array_column array_combine array_count_values array_diff array_diff_assoc array_diff_key
    array_diff_uassoc array_diff_ukey array_fill array_fill_keys array_filter array_flip array_intersect
    array_intersect_assoc array_intersect_key array_intersect_ukey array_is_list array_key_exists array_key_first
    array_key_last array_keys array_map array_merge array_merge_recursive array_multisort array_pad array_pop
    array_product array_push array_rand array_reduce array_replace array_replace_recursive array_reverse array_search
    array_shift array_slice array_splice array_sum array_udiff array_uintersect array_unique array_unshift array_values
    array_walk array_walk_recursive arsort asort assert base64_decode base64_encode base_convert basename bin2hex
    bindec boolval call_user_func call_user_func_array ceil chdir checkdate chmod chr chunk_split class_exists
    class_implements class_parents class_uses clearstatcache closedir compact constant copy cos count crc32
    ctype_alnum ctype_alpha ctype_digit ctype_lower ctype_punct ctype_space ctype_upper ctype_xdigit curl_close
    curl_exec curl_getinfo curl_init curl_setopt curl_setopt_array current date date_create date_default_timezone_get
    date_default_timezone_set debug_backtrace dechex decbin define defined die dir dirname disk_free_space
    each empty end enum_exists error_clear_last error_get_last error_log error_reporting escapeshellarg escapeshellcmd
    eval exec exit exp explode extension_loaded extract fclose feof fflush fgetc fgetcsv fgets file file_exists
    file_get_contents file_put_contents fileatime filemtime fileperms filesize filter_input filter_var floatval flock
    floor flush fmod fnmatch fopen forward_static_call fpassthru fprintf fputcsv fputs fread fscanf fseek fstat ftell
    ftruncate func_get_arg func_get_args func_num_args function_exists fwrite gc_collect_cycles gc_enable gc_disable
    get_called_class get_class get_class_methods get_class_vars get_debug_type get_defined_vars get_object_vars
    get_parent_class get_resource_type getcwd getenv getmypid gettype glob gmdate gmp_add hash hash_algos hash_equals
    hash_final hash_hmac hash_init hash_update header headers_sent hex2bin hexdec highlight_string hrtime
    html_entity_decode htmlentities htmlspecialchars htmlspecialchars_decode http_build_query hypot iconv idate
    ignore_user_abort implode in_array inet_ntop inet_pton ini_get ini_set intdiv interface_exists intval ip2long is_a
    is_array is_bool is_callable is_countable is_dir is_double is_executable is_file is_finite is_float is_infinite
    is_int is_integer is_iterable is_link is_long is_nan is_null is_numeric is_object is_readable is_resource is_scalar
    is_string is_subclass_of is_writable is_writeable isset iterator_apply iterator_count iterator_to_array join
    json_decode json_encode json_last_error json_last_error_msg json_validate key key_exists krsort ksort lcfirst
    levenshtein libxml_clear_errors libxml_get_errors libxml_use_internal_errors link list localeconv localtime log
    log10 long2ip lstat ltrim mail max mb_check_encoding mb_convert_case mb_convert_encoding mb_detect_encoding
    mb_internal_encoding mb_str_split mb_strimwidth mb_stripos mb_strlen mb_strpos mb_strrpos mb_strtolower
    mb_strtoupper mb_strwidth mb_substr mb_substr_count md5 md5_file memory_get_peak_usage memory_get_usage metaphone
    method_exists microtime min mkdir mktime mt_getrandmax mt_rand mt_srand natcasesort natsort next nl2br
    number_format ob_clean ob_end_clean ob_end_flush ob_get_clean ob_get_contents ob_get_flush ob_get_level ob_start
    octdec opcache_compile_file opcache_invalidate opendir openssl_decrypt openssl_encrypt ord pack parse_ini_file
    parse_ini_string parse_str parse_url password_hash password_verify pathinfo pclose pcntl_fork pcntl_signal
    pcntl_wait pfsockopen php_sapi_name php_uname phpversion pi popen posix_getpid posix_isatty pow preg_grep
    preg_last_error preg_last_error_msg preg_match preg_match_all preg_quote preg_replace preg_replace_callback
    preg_replace_callback_array preg_split prev print print_r printf proc_close proc_get_status proc_open
    proc_terminate property_exists putenv quotemeta rand random_bytes random_int range rawurldecode rawurlencode
    readdir readfile readline readlink realpath register_shutdown_function rename reset restore_error_handler
    restore_exception_handler rewind rewinddir rmdir round rsort rtrim scandir serialize session_id session_start
    session_status set_error_handler set_exception_handler set_time_limit setcookie setlocale settype sha1 shell_exec
    shuffle similar_text simplexml_load_string sin sizeof sleep socket_accept sort soundex spl_autoload_functions
    spl_autoload_register spl_autoload_unregister spl_object_hash spl_object_id sprintf sqrt srand sscanf stat
    str_contains str_ends_with str_getcsv str_ireplace str_pad str_repeat str_replace str_shuffle str_split
    str_starts_with str_word_count strcasecmp strchr strcmp strcoll strcspn stream_context_create
    stream_get_contents stream_get_meta_data stream_isatty stream_select stream_set_blocking stream_set_timeout
    stream_socket_client strip_tags stripcslashes stripos stripslashes stristr strlen strnatcasecmp strnatcmp
    strncasecmp strncmp strpbrk strpos strptime strrchr strrev strripos strrpos strspn strstr strtok strtolower
    strtotime strtoupper strtr strval substr substr_compare substr_count substr_replace symlink sys_get_temp_dir
    system tan tempnam time timezone_identifiers_list tmpfile token_get_all touch trait_exists trigger_error trim
    uasort ucfirst ucwords uksort umask uniqid unlink unpack unserialize unset urldecode urlencode usleep usort utf8_decode
    utf8_encode var_dump var_export version_compare vfprintf vprintf vsprintf wordwrap zend_version
    """.split()
)
"""The most used of PHP's own functions, in lower case."""

BUILTIN_PREFIXES: Final = (
    "mb_", "preg_", "ctype_", "openssl_", "sodium_", "curl_", "gmp_", "ldap_", "imap_", "mysqli_", "pg_", "xml_",
    "xmlwriter_", "grapheme_", "normalizer_", "iconv_", "numfmt_", "datefmt_", "collator_", "apcu_", "igbinary_",
    "posix_", "pcntl_", "socket_", "ftp_", "odbc_", "shm_", "sem_", "msg_", "gz", "libxml_", "simplexml_", "token_",
    "spl_", "iterator_", "opcache_", "readline_", "stream_", "proc_", "zend_", "imagecreate", "imagecolor",
)  # fmt: skip
"""What the names of functions of PHP's extensions begin with."""


def is_public(definition: Definition) -> bool:
    """Whether code outside of the class can name it."""
    return definition.exported and not {"private", "protected"} & set(definition.modifiers)
