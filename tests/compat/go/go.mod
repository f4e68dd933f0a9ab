// The revision is the one that the interface document was read from; the runner lets the go command turn it into a version.
module dojima/tests/compat

go 1.24

require (
	github.com/ethereum/go-ethereum v1.16.7
	github.com/shopspring/decimal v1.4.0
	github.com/sodex-tech/sodex-go-sdk-public 682466a26ba4030ada1c66aed7d0869362038859
)
