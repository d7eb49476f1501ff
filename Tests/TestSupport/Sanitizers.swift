import Foundation

/// Whether this process was built with `--sanitize=address`.
package let isUnderAddressSanitizer = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil
