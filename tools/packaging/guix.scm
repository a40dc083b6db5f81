;; guix build -f tools/packaging/guix.scm, from the root of a clone.
(use-modules (guix packages) (guix gexp) (guix git-download) (guix utils)
             (guix build-system gnu) ((guix licenses) #:prefix license:)
             (gnu packages base) (gnu packages compression) (gnu packages elf)
             (gnu packages commencement) (gnu packages engineering) (gnu packages maths) (gnu packages web))

(package
  (name "heddle")
  (version "0.2.0")
  (source (local-file "../.." "heddle-checkout" #:recursive? #t
                      #:select? (git-predicate (string-append (current-source-directory) "/../.."))))
  (build-system gnu-build-system)
  (arguments
   (list #:make-flags #~(list (string-append "PREFIX=" #$output)
                              (string-append "CC=" #$(cc-for-target)))
         #:phases #~(modify-phases %standard-phases
                      (delete 'configure)
                      ;; a violation is found and confirmed
                      (replace 'check
                        (lambda _
                          (unless (= 1 (system* "build/heddle" "check" "--no-record" "examples/queue_check.c"))
                            (error "heddle does not find the bug of the example"))))
                      ;; the runtime is linked into programs under test as it is
                      (delete 'strip))))
  (inputs (list capstone elfutils jansson z3 zlib))
  (propagated-inputs (list gcc-toolchain binutils))
  (home-page "https://example.org/heddle")
  (synopsis "Checker for concurrent C and C++ code")
  (description "Heddle tells whether every concurrent execution of a data structure can be explained by a
serial one, under sequential consistency, TSO, PSO or the C11 memory model; when not, it shows the smallest test
and the execution that goes wrong.")
  (license license:asl2.0))
